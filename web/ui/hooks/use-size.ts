import { type RefObject, useLayoutEffect, useRef, useState } from 'react'

interface Size {
  width: number
  height: number
}

/** The size of an element in pixels, 0 by 0 until it is known. */
export function useSize(): { ref: RefObject<HTMLDivElement | null>; size: Size } {
  const ref = useRef<HTMLDivElement>(null)
  const [size, setSize] = useState<Size>({ width: 0, height: 0 })
  useLayoutEffect(() => {
    const element = ref.current
    if (element === null) return
    const measure = () => setSize({ width: element.clientWidth, height: element.clientHeight })
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  return { ref, size }
}
