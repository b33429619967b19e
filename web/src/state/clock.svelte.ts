/* The server's time, for what counts down (each second) and for what ages (each quarter minute). */
import { serverNow } from '../lib/serverTime';

let second = $state(serverNow());
let quarter = $state(serverNow());

function tick(): void {
	second = serverNow();
	if (Math.abs(second - quarter) >= 15_000) quarter = second;
}

setInterval(() => {
	if (document.visibilityState !== 'hidden') tick();
}, 1000);
/* Not when it goes out of sight: a page that is being left draws nothing any more. */
addEventListener('visibilitychange', () => {
	if (document.visibilityState !== 'hidden') second = quarter = serverNow();
});

export const clock = {
	get second(): number {
		return second;
	},
	get quarter(): number {
		return quarter;
	},
};
