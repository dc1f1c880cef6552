export type Undo = ReturnType<typeof createUndo>

/** The steps of a stop: the reverse of those of the start. */
export function createUndo() {
  const steps: (() => Promise<void>)[] = []
  return {
    add(step: () => Promise<void>): void {
      steps.push(step)
    },
    async all(): Promise<void> {
      for (const step of steps.splice(0).reverse()) await step()
    },
  }
}
