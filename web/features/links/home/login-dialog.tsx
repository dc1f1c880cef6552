import { Link } from '@tanstack/react-router'
import { routes } from '#domain/routes.ts'
import { loginRequired } from '#domain/texts/texts.ts'
import { site } from '#web/site.ts'
import { Button, buttonClass } from '#web/ui/button.tsx'
import { Dialog, DialogActions } from '#web/ui/dialogs/dialog.tsx'

export function LoginDialog({ open, onClose }: { open: boolean; onClose: () => void }) {
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title={loginRequired.title}
      description={loginRequired.description}
    >
      <p className="-mt-3 text-sm text-ink-faint">{loginRequired.kept}</p>
      <DialogActions>
        <Button look="quiet" onClick={onClose}>
          {loginRequired.cancel}
        </Button>
        <Link
          to={routes.auth.path}
          search={{ next: routes.home.path }}
          state={{ returnsBack: true }}
          className={buttonClass('plain')}
        >
          {loginRequired.confirm}
        </Link>
        {site.hasPasswords ? (
          <Link
            to={routes.auth.path}
            search={{ mode: 'sign-up', next: routes.home.path }}
            state={{ returnsBack: true }}
            data-first-focus
            className={buttonClass('accent')}
          >
            {site.hasPlans ? loginRequired.signUp : loginRequired.signUpWithoutPlans}
          </Link>
        ) : null}
      </DialogActions>
    </Dialog>
  )
}
