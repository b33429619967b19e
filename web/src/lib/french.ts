/* French puts a blank before ? ! : ; » and behind «: one at which no line breaks. */
export const unbroken = (text: string): string => text.replace(/ (?=[?!:;»])|(?<=«) /g, '\u00a0');
