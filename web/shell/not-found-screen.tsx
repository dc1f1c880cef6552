import { NotFoundPage } from '#public-pages/not-found.tsx'
import '#public-pages/frame/public.css'
import { useTitle } from '#web/ui/hooks/use-title.ts'

export function NotFoundScreen() {
  useTitle('Page not found · Hoplet')
  return <NotFoundPage />
}
