import { Link } from '@tanstack/react-router'
import { routes } from '#domain/routes.ts'
import { loginRequired } from '#domain/texts.ts'
import { Button, buttonClass } from '#web/ui/button.tsx'
import { Dialog, DialogActions } from '#web/ui/dialog.tsx'

export function LoginDialog({ open, onClose }: { open: boolean; onClose: () => void }) {
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title={loginRequired.title}
      description={loginRequired.description}
    >
      <DialogActions>
        <Button onClick={onClose}>{loginRequired.cancel}</Button>
        <Link
          to={routes.auth.path}
          search={{ next: routes.home.path }}
          state={{ returnsBack: true }}
          className={buttonClass('accent')}
        >
          {loginRequired.confirm}
        </Link>
      </DialogActions>
    </Dialog>
  )
}
