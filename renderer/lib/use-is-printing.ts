import { useWindowEvent } from '@mantine/hooks'
import { useState } from 'react'
import { flushSync } from 'react-dom'

/** For what is complete on paper and shown in parts on the screen. */
export function useIsPrinting(): boolean {
  const [isPrinting, setPrinting] = useState(false)
  // The page is printed as it is when this returns.
  useWindowEvent('beforeprint', () => flushSync(() => setPrinting(true)))
  useWindowEvent('afterprint', () => setPrinting(false))
  return isPrinting
}
