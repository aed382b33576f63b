import { Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { StandalonePage } from '../../../domain/login-branding/standalone-page.tsx'

/** State of a mailed link, and where to go on. */
export function LinkState({ title, text, children }: { title: string; text: string; children: ReactNode }) {
  return (
    <StandalonePage title={title}>
      <Stack>
        <Text size="sm">{text}</Text>
        {children}
      </Stack>
    </StandalonePage>
  )
}
