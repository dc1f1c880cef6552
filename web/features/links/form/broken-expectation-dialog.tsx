import { brokenExpectationNames } from '#domain/visits/broken-expectations.ts'
import { Button } from '#web/ui/button.tsx'
import { Dialog, DialogActions } from '#web/ui/dialogs/dialog.tsx'

interface BrokenExpectation {
  /** As the refusal has them. */
  details: string
  saveAnyway: () => void
  close: () => void
}

const namesIn = (details: string) =>
  brokenExpectationNames(details)
    .map((name) => `“${name}”`)
    .join(', ')

/** A change would break an expectation of the link: nothing is saved yet. */
export function BrokenExpectationDialog({ broken }: { broken: BrokenExpectation | undefined }) {
  return (
    <Dialog
      open={broken !== undefined}
      onClose={() => broken?.close()}
      title="This breaks an expectation"
      description={
        broken && `${namesIn(broken.details)} would not be met any more. Nothing is saved yet.`
      }
    >
      {broken === undefined ? null : (
        <DialogActions>
          <Button onClick={broken.saveAnyway}>Save anyway</Button>
          <Button look="accent" data-first-focus onClick={broken.close}>
            Keep Editing
          </Button>
        </DialogActions>
      )}
    </Dialog>
  )
}
