// A2A before 1.0, by JSON-RPC.
import { OLD, suspendedOn } from './a2a.mjs';

export const asking = 'a2a';
export const suspended = (how) => suspendedOn(OLD, how);
