import { type RefObject, useLayoutEffect, useState } from 'react'

/** Pixels from the top of the page to an element; what is above it may grow. */
export function useDistanceFromTop(element: RefObject<HTMLElement | null>): number {
  const [distance, setDistance] = useState(0)
  useLayoutEffect(() => {
    const measure = () => {
      if (element.current) setDistance(Math.round(element.current.getBoundingClientRect().top + window.scrollY))
    }
    measure()
    const growth = new ResizeObserver(measure)
    growth.observe(document.body)
    return () => growth.disconnect()
  }, [element])
  return distance
}
