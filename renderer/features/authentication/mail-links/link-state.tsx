import { Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { EntryPage } from '../../../domain/login-branding/standalone-page.tsx'

/** What has become of a link from a mail, and where to go on. */
export function LinkFace({ title, words, children }: { title: string; words: string; children: ReactNode }) {
  return (
    <EntryPage title={title}>
      <Stack>
        <Text size="sm">{words}</Text>
        {children}
      </Stack>
    </EntryPage>
  )
}
