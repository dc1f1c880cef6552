import { NotFoundPage } from '#public-pages/not-found.tsx'
import '#public-pages/public.css'
import { useTitle } from '#web/ui/use-title.ts'

export function NotFoundScreen() {
  useTitle('Page not found · Hoplet')
  return <NotFoundPage />
}
