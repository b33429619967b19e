/* The shapes of the API, as its document has them. */
import type { components } from './schema';

type Schemas = components['schemas'];

export type Ask = Schemas['Ask'];
export type AskSuggestion = Schemas['AnswerSuggestion'];
export type Template = Schemas['Template'];
export type OptionList = Schemas['OptionList'];
export type SettledCounts = Schemas['SettledCounts'];
export type Mark = Schemas['Mark'];
export type View = Schemas['Views'][number];
export type AskKind = Schemas['AskKind'];
export type AskStatus = Schemas['AskStatus'];
export type Question = Schemas['Question'];
export type Option = Schemas['Option'];
export type AnswerValue = Schemas['AnswerValue'];
export type Answer = Schemas['Answer'];
export type Operation = Schemas['Operation'];
export type Risk = Schemas['Risk'];
export type Session = Schemas['Session'];
export type SessionState = Schemas['SessionState'];
export type SessionStatus = Schemas['SessionStatus'];
export type Event = Schemas['Event'];
export type EventType = Schemas['EventType'];
export type Me = Schemas['Me'];
export type User = Schemas['User'];
export type UserRole = Schemas['UserRole'];
export type ProjectList = Schemas['ProjectList'];
export type Token = Schemas['Token'];
export type Login = Schemas['Login'];
export type Away = Schemas['Away'];
export type Team = Schemas['Team'];
export type Insights = Schemas['Insights'];
export type UsageSums = Schemas['UsageSums'];
export type Delivery = Schemas['Delivery'];
export type DeliveryStatus = Schemas['DeliveryStatus'];
export type Contact = Schemas['Contact'];
export type ContactFound = Schemas['ContactFound'];
export type Channel = Schemas['Channel'];
export type NotifyPrefs = Schemas['NotifyPrefs'];
export type NotifyRoute = Schemas['Route'];
export type NotifyStep = Schemas['RouteStep'];
export type RouteTable = Schemas['RouteTable'];
export type RoutePlan = Schemas['RoutePlan'];
export type AskDeliveries = Schemas['AskDeliveries'];
export type ChannelList = Schemas['ChannelList'];
/** The page asks for no authorization: the ask of its problems is whole. */
export type Problem = Omit<Schemas['Problem'], 'ask'> & { ask?: Ask };
export type Settled = Schemas['Settled'];
export type SettleManyResult = Schemas['SettleManyResult'];
export type AskRequest = Schemas['AskRequest'];
export type Rule = Schemas['Rule'];
export type RuleRequest = Schemas['RuleRequest'];
export type RuleEffect = Schemas['RuleEffect'];
export type RuleWarning = Schemas['RuleWarning'];
export type TriedRule = Schemas['TriedRule'];
export type TriedOperation = Schemas['TriedOperation'];
export type RuleSuggestion = Schemas['RuleSuggestions']['items'][number];
export type Policy = Schemas['Policy'];
export type Scope = Schemas['Scope'];
export type Mandate = Schemas['Mandate'];
export type MandateLine = Schemas['MandateLine'];
export type Stop = Schemas['Stop'];
export type Alert = Schemas['Alert'];
export type StopRequest = Schemas['StopRequest'];
export type AgentConfig = Schemas['AgentConfig'];
export type AgentTest = Schemas['AgentTest'];
export type Provider = Schemas['Provider'];
export type Language = Schemas['Language'];

export interface List<T> {
	items: T[];
	next_cursor: string | null;
	as_of: number;
}
