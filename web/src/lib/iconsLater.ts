/* The icons that the first list does not need; the styles come along with them. */
import '../later.css';

export const laterIcons = {
	list: 'M8 6h12M8 12h12M8 18h12M4 6h0M4 12h0M4 18h0',
	side: 'M4 5h16v14H4zM15 5v14',
	skip: 'M6 6l6 6-6 6M13 6l6 6-6 6',
	download: 'M12 4v11M7 10.500l5 5 5-5M5 20h14',
	undo: 'M8 5 4 9l4 4M4 9h10a5 5 0 0 1 0 10h-3',
	edit: 'M5 19l1-4L16 5l3 3L9 18z',
	trash: 'M5 7h14M9 7V4h6v3M7 7l1 13h8l1-13',
	tool: 'M4 5h16v14H4zM8 10l2.500 2.500L8 15M13 15h4',
	link: 'M10 14l4-4M8 12l-2 2a3.500 3.500 0 0 0 5 5l2-2M16 12l2-2a3.500 3.500 0 0 0-5-5l-2 2',
	bell: 'M6 17h12l-1.500-2V11a4.500 4.500 0 0 0-9 0v4zM10.500 20h3',
	person: 'M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM5 20c1-4 4-5 7-5s6 1 7 5',
	print: 'M7 8V4h10v4M7 17H4V9h16v8h-3M7 14h10v6H7z',
	leave: 'M10 4H5v16h5M9 12h11M16 8l4 4-4 4',
	away: 'M5 6h14v14H5zM5 10h14M9 3v4M15 3v4',
	theme:
		'M12 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM12 2.500v2M12 19.500v2M2.500 12h2M19.500 12h2M5.300 5.300l1.400 1.400M17.300 17.300l1.400 1.400M18.700 5.300l-1.400 1.400M6.700 17.300l-1.400 1.400',
	globe: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM3 12h18M12 3c3 3 3 15 0 18M12 3c-3 3-3 15 0 18',
	keyboard: 'M3 7h18v10H3zM7 10.500h0M11 10.500h0M15 10.500h0M8 14h8',
	device: 'M5 5h14v10H5zM3 19h18',
	people:
		'M9 11a3.500 3.500 0 1 0 0-7 3.500 3.500 0 0 0 0 7zM3 19c.600-3.500 3-5 6-5s5.400 1.500 6 5M16 4.500a3.500 3.500 0 0 1 0 6M18 14.500c1.700.800 2.600 2.300 3 4.500',
	send: 'M4 11l16-7-6 16-3-7zM11 13l4-4',
	key: 'M8 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM12 12h9v3M17 12v2.500',
	template: 'M4 4h16v6H4zM4 14h7v6H4zM15 14h5v6h-5z',
	box: 'M12 3l8 4.500v9L12 21l-8-4.500v-9zM4 7.500l8 4.500 8-4.500M12 12v9',
	mail: 'M4 6h16v12H4zM4 7l8 6 8-6',
	copy: 'M9 9h10v11H9zM15 9V4H5v11h4',
	warning: 'M12 4 2.500 20h19zM12 10v5M12 17.500h0',
};
