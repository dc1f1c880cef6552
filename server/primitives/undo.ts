export type Undo = ReturnType<typeof createUndo>

/** The steps of a stop: the reverse of those of the start. */
export function createUndo() {
  const steps: (() => Promise<void>)[] = []
  return {
    add(step: () => Promise<void>): void {
      steps.push(step)
    },
    /** Closes a part at the stop. */
    closing<Part extends { close(): Promise<void> }>(part: Part): Part {
      steps.push(() => part.close())
      return part
    },
    async all(): Promise<void> {
      for (const step of steps.splice(0).reverse()) await step()
    },
  }
}
