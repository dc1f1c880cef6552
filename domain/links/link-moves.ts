/** States of a move of links to another account: their clicks are on their way, or have arrived. */
export const linkMoveStates = ['arriving', 'done'] as const
