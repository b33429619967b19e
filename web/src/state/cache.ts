/* What is kept for when the server cannot be reached. A browser that keeps nothing is fine too. */
import { createStore, del, get, set, type UseStore } from 'idb-keyval';

let store: UseStore | null = null;
const database = () => (store ??= createStore('parley', 'kept'));

export async function cacheLoad<T>(name: string): Promise<T | null> {
	try {
		return (await get<T>(name, database())) ?? null;
	} catch {
		return null;
	}
}

export async function cacheKeep(name: string, value: unknown): Promise<boolean> {
	try {
		await set(name, value, database());
		return true;
	} catch {
		return false;
	}
}

export async function cacheClear(): Promise<void> {
	await Promise.allSettled(['inbox', 'me', 'people'].map((name) => del(name, database())));
}
