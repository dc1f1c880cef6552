import { ReportShape } from './report-shape.tsx'

/** A report before its question is known. */
export function ReportSkeleton() {
  return (
    <div>
      <output className="sr-only">Loading the analytics</output>
      <ReportShape isLoading />
    </div>
  )
}
