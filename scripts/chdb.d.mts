export function hasChdb(): boolean
