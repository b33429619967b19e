/** What is good to have: taken when it comes, and nothing is said when it does not. Returns how to want it
 * no more, for an effect to return. */
export function hope<T>(reply: Promise<T>, take: (got: T) => unknown): () => void {
	let wanted = true;
	reply.then((got) => wanted && take(got)).catch(() => undefined);
	return () => (wanted = false);
}
