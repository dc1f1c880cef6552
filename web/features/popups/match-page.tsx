import { queryOptions, useQuery } from '@tanstack/react-query'
import { Palette, Undo2 } from 'lucide-react'
import { popupColorsOf } from '#domain/popups/popup-page-colors.ts'
import type { PopupDraft } from '#domain/popups/popup-form.ts'
import { oneRowOf, tables } from '#web/api/client.ts'
import { Button } from '#web/ui/button.tsx'

/** The colors of an account's bio page, or null before its first save. */
function pageThemeQuery(userId: string) {
  return queryOptions({
    queryKey: ['bio-page-theme', userId],
    queryFn: ({ signal }) =>
      oneRowOf(
        tables
          .from('bio_pages')
          .select('theme_primary,theme_background,theme_text')
          .eq('user_id', userId),
        signal,
      ),
  })
}

interface MatchPageProps {
  userId: string
  onMatch: (part: Partial<PopupDraft>) => void
  /** Undefined while there is nothing to undo. */
  onUndo: (() => void) | undefined
}

/** Gives the popup the colors of the owner's bio page, with Undo. Nothing without a page. */
export function MatchPage({ userId, onMatch, onUndo }: MatchPageProps) {
  const page = useQuery(pageThemeQuery(userId)).data
  if (page === undefined || page === null) return null
  const colors = popupColorsOf({
    primary: page.theme_primary,
    background: page.theme_background,
    text: page.theme_text,
  })
  return (
    <>
      {onUndo === undefined ? null : (
        <Button size="small" look="quiet" onClick={onUndo}>
          <Undo2 size={16} aria-hidden />
          <span>
            Undo<span className="sr-only"> the page’s colors</span>
          </span>
        </Button>
      )}
      <Button size="small" title="Match my page" onClick={() => onMatch(colors)}>
        <Palette size={16} aria-hidden />
        <span className="max-sm:sr-only">Match my page</span>
      </Button>
    </>
  )
}
