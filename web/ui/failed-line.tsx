import type { ReactNode } from 'react'
import { Button } from './button.tsx'

interface FailedLineProps {
  children: ReactNode
  retry: () => void
  className?: string
}

/** Instead of a small part that could not be loaded. */
export function FailedLine({ children, retry, className = 'flex-wrap gap-4' }: FailedLineProps) {
  return (
    <p role="alert" className={`flex items-center text-sm ${className}`}>
      {children}
      <Button size="small" onClick={retry}>
        Try Again
      </Button>
    </p>
  )
}
