/** Findings about a destination that is checked (docs/link-health.md). */
export const destinationFindings = ['dead', 'moved', 'certificate'] as const
