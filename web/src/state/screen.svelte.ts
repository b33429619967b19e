/* Wide enough for a list and a detail side by side? */
const query = matchMedia('(min-width: 900px)');
let yes = $state(query.matches);
query.addEventListener('change', () => (yes = query.matches));

export const wide = {
	get yes(): boolean {
		return yes;
	},
};
