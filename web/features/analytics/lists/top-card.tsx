import { useQuery } from '@tanstack/react-query'
import { Maximize2 } from 'lucide-react'
import { useState } from 'react'
import { IconButton } from '#web/ui/button.tsx'
import type { ListDimension } from '#domain/reports/hits.ts'
import { ToggleButton } from '#web/ui/fields/toggle-button.tsx'
import { Part } from '../card.tsx'
import { reportQuery } from '../report-queries.ts'
import { reportTexts } from '../report-words.ts'
import type { OpenReport } from '../use-report.ts'
import { valuesOf, withFilter } from '../view-parts.ts'
import { dimensionWords } from './dimension-words.ts'
import { listSelection } from './list-selection.ts'
import { ListTabs } from './list-tabs.tsx'
import { TopDialog } from './top-dialog.tsx'
import { TopList } from './top-list.tsx'

/** A tab is one list, or several of them under one name. */
export interface ListTab {
  name: string
  dimensions: readonly [ListDimension, ...ListDimension[]]
}

interface TopCardProps {
  title: string
  report: OpenReport
  tabs: readonly [ListTab, ...ListTab[]]
}

export const shownRows = 4

/** Lists of the targets with the most clicks; only the list of the open tab is asked for. */
export function TopCard({ title, report, tabs }: TopCardProps) {
  const [dimension, setDimension] = useState<ListDimension>(tabs[0].dimensions[0])
  const [isOpen, setOpen] = useState(false)
  const tab = tabs.find(({ dimensions }) => dimensions.includes(dimension)) ?? tabs[0]
  return (
    <section aria-label={title} className="min-w-0 rounded-2xl border border-line bg-surface">
      <ListTabs
        label={title}
        tabs={tabs}
        open={tab}
        onOpen={(next) => setDimension(next.dimensions[0])}
        action={
          <IconButton label="Show all" className="size-8!" onClick={() => setOpen(true)}>
            <Maximize2 size={14} aria-hidden />
          </IconButton>
        }
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
        <DimensionList key={dimension} {...{ report, dimension }} />
      </ListTabs>
      <TopDialog {...{ report, dimension }} open={isOpen} onClose={() => setOpen(false)} />
    </section>
  )
}

interface DimensionListProps {
  report: OpenReport
  dimension: ListDimension
}

function DimensionList({ report, dimension }: DimensionListProps) {
  const { userId, view, setView } = report
  const selection = listSelection(report, dimension)
  const query = useQuery(reportQuery(userId, 'lists', dimension, selection, shownRows))
  return (
    <div className="min-h-35 pointer-coarse:min-h-47">
      <Part
        query={query}
        loading={`Loading ${dimensionWords[dimension].many}`}
        skeleton={<RowSkeletons />}
      >
        {(list) =>
          list.rows.length === 0 ? (
            <p className="px-2.5 py-2 text-sm text-ink-faint">{reportTexts.nothing}.</p>
          ) : (
            <TopList
              {...{ dimension, list }}
              chosen={valuesOf(view, dimension)}
              onToggle={(value) => setView((now) => withFilter(now, dimension, value))}
            />
          )
        }
      </Part>
    </div>
  )
}

function RowSkeletons() {
  return (
    <div className="grid animate-pulse gap-1">
      {[100, 82, 70, 55].map((width) => (
        <div key={width} className="h-8 pointer-coarse:h-11">
          <div className="h-full rounded-md bg-sunken" style={{ width: `${width}%` }} />
        </div>
      ))}
    </div>
  )
}
