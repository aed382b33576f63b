import { Text } from '@mantine/core'
import type { ReactNode } from 'react'

/** Details below the first line of a cell. */
export function SecondLine({ isMono, children }: { isMono?: boolean; children: ReactNode }) {
  return (
    <Text size="xs" c="dimmed" component="div" {...(isMono && { className: 'mono' })}>
      {children}
    </Text>
  )
}
