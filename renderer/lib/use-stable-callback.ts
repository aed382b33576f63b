import { useCallback, useLayoutEffect, useRef } from 'react'

/** The same function at every rendering, so that what gets it need not be rendered again; it does what the last one does. */
export function useStableCallback<Args extends unknown[], Result>(
  callback: (...args: Args) => Result,
): (...args: Args) => Result {
  const last = useRef(callback)
  useLayoutEffect(() => {
    last.current = callback
  })
  return useCallback((...args: Args) => last.current(...args), [])
}
