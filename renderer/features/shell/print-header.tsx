import { Text } from '@mantine/core'
import { useWindowEvent } from '@mantine/hooks'
import { useState } from 'react'
import { flushSync } from 'react-dom'
import { exactTime } from '../../lib/format.ts'

const schemeAttribute = 'data-mantine-color-scheme'

/** On paper only: whose page it is and when it was printed. Paper is white, so that the light colors are used. */
export function PrintHeader({ tenantName }: { tenantName: string | undefined }) {
  const [printedAt, setPrintedAt] = useState('')
  const [screenScheme, setScreenScheme] = useState<string | null>(null)
  const root = document.documentElement
  useWindowEvent('beforeprint', () => {
    // The page is printed as it is when this returns.
    flushSync(() => setPrintedAt(exactTime(new Date().toISOString())))
    setScreenScheme(root.getAttribute(schemeAttribute))
    root.setAttribute(schemeAttribute, 'light')
  })
  useWindowEvent('afterprint', () => {
    if (screenScheme) root.setAttribute(schemeAttribute, screenScheme)
  })
  return (
    <Text className="print-only" size="xs" c="dimmed" mb="xs">
      {[tenantName, 'Homeport', printedAt].filter(Boolean).join(' · ')}
    </Text>
  )
}
