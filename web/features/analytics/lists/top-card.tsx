import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { Button } from '#web/ui/button.tsx'
import type { ClickDimension } from '#domain/hits.ts'
import type { ClickReport } from '#web/clicks/report.ts'
import { ToggleButton } from '#web/ui/toggle-button.tsx'
import { Part } from '../card.tsx'
import { topQuery } from '../report-queries.ts'
import { figure, reportTexts } from '../report-words.ts'
import type { OpenReport } from '../use-report.ts'
import { valuesOf, withFilter } from '../view-parts.ts'
import { dimensionWords } from './dimension-words.ts'
import { listSelection } from './list-selection.ts'
import { ListTabs } from './list-tabs.tsx'
import { SaveListButton } from './save-list-button.tsx'
import { TopDialog } from './top-dialog.tsx'
import { TopList } from './top-list.tsx'

/** A tab is one list, or several of them under one name. */
export interface ListTab {
  name: string
  dimensions: readonly [ClickDimension, ...ClickDimension[]]
}

interface TopCardProps {
  title: string
  report: OpenReport
  tabs: readonly [ListTab, ...ListTab[]]
  /** Requested rows, if more than fit. */
  limit?: number
  /** Stands beside the list, and shows the list of the first tab. */
  picture?: (list: ClickReport | undefined) => ReactNode
  className?: string
}

const shownRows = 6

/** Lists of the targets with the most clicks; only the list of the open tab is asked for. */
export function TopCard(props: TopCardProps) {
  const { title, tabs, picture, className = '' } = props
  const [dimension, setDimension] = useState<ClickDimension>(tabs[0].dimensions[0])
  const tab = tabs.find(({ dimensions }) => dimensions.includes(dimension)) ?? tabs[0]

  const list = (
    <ListTabs
      label={title}
      tabs={tabs}
      open={tab}
      onOpen={(next) => setDimension(next.dimensions[0])}
    >
      {tab.dimensions.length > 1 ? (
        <fieldset className="mb-2 flex flex-wrap gap-1">
          <legend className="sr-only">{tab.name} by</legend>
          {tab.dimensions.map((each) => (
            <ToggleButton key={each} isOn={each === dimension} onPress={() => setDimension(each)}>
              {dimensionWords[each].many}
            </ToggleButton>
          ))}
        </fieldset>
      ) : null}
      <DimensionList key={dimension} {...props} dimension={dimension} />
    </ListTabs>
  )
  const shell = `min-w-0 rounded-2xl border border-line bg-surface ${className}`
  return (
    <section aria-label={title} className={shell}>
      {picture === undefined ? (
        list
      ) : (
        <div className="grid grid-cols-[minmax(0,1fr)] lg:grid-cols-[minmax(0,1fr)_22rem]">
          <Pictured {...props} picture={picture} />
          <div className="border-line max-lg:border-t lg:border-l">{list}</div>
        </div>
      )}
    </section>
  )
}

function Pictured({
  report,
  tabs,
  limit = shownRows,
  picture,
}: TopCardProps & Required<Pick<TopCardProps, 'picture'>>) {
  const dimension = tabs[0].dimensions[0]
  const { data } = useQuery(
    topQuery(report.userId, listSelection(report, dimension), dimension, limit),
  )
  return picture(data)
}

interface DimensionListProps extends TopCardProps {
  dimension: ClickDimension
}

function DimensionList({ report, dimension, tabs, limit = shownRows }: DimensionListProps) {
  const [isOpen, setOpen] = useState(false)
  const { userId, view, setView } = report
  const selection = listSelection(report, dimension)
  const asked = dimension === tabs[0].dimensions[0] ? limit : shownRows
  const query = useQuery(topQuery(userId, selection, dimension, asked))
  const shown = query.data?.rows.slice(0, shownRows) ?? []
  const others =
    query.data === undefined
      ? 0
      : query.data.rows.slice(shownRows).reduce((sum, { clicks }) => sum + clicks, query.data.rest)
  return (
    <>
      <div className="min-h-[14.625rem] pointer-coarse:min-h-[18.375rem]">
        <Part
          query={query}
          loading={`Loading ${dimensionWords[dimension].many}`}
          skeleton={<RowSkeletons />}
        >
          {(list) =>
            list.rows.length === 0 ? (
              <p className="py-3 text-sm text-ink-faint">{reportTexts.nothing}.</p>
            ) : (
              <TopList
                {...{ dimension, list }}
                rows={shown}
                chosen={valuesOf(view, dimension)}
                onToggle={(value) => setView((now) => withFilter(now, dimension, value))}
              />
            )
          }
        </Part>
      </div>
      <div className="mt-2 flex min-h-9 items-center gap-1 pointer-coarse:min-h-11">
        <p className="min-w-0 grow truncate pl-2.5 text-xs text-ink-faint tabular-nums">
          {others > 0 ? `${figure(others, query.data?.sampled ?? null)} in others` : ''}
        </p>
        {shown.length === 0 ? null : (
          <>
            <Button size="small" look="quiet" onClick={() => setOpen(true)}>
              Show all
            </Button>
            <SaveListButton {...{ userId, selection, dimension }} />
          </>
        )}
      </div>
      <TopDialog {...{ report, dimension }} open={isOpen} onClose={() => setOpen(false)} />
    </>
  )
}

function RowSkeletons() {
  return (
    <div className="grid animate-pulse gap-1.5">
      {[100, 82, 70, 55, 48, 40].map((width) => (
        <div key={width} className="h-8.5 pointer-coarse:h-11">
          <div className="h-full rounded-md bg-sunken" style={{ width: `${width}%` }} />
        </div>
      ))}
    </div>
  )
}
