import { ReportShape } from './report-shape.tsx'

/** A report that it is not known yet what to ask for. */
export function ReportSkeleton() {
  return (
    <div>
      <output className="sr-only">Loading the analytics</output>
      <ReportShape isLoading />
    </div>
  )
}
