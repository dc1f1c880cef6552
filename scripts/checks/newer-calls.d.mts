export function newerCalls(path: string, text: string): { name: string; start: number }[]
export function visitorScripts(): { path: string; text: string }[]
