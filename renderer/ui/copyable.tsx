import { Group } from '@mantine/core'
import type { ReactNode } from 'react'
import { CopyIcon } from './copy-button.tsx'

/** Exact text with a copy button; `children` if it is displayed differently. */
export function Copyable({ text, label, children = text }: { text: string; label: string; children?: ReactNode }) {
  return (
    <Group gap={4} wrap="nowrap" align="flex-start">
      <span className="mono">{children}</span>
      <CopyIcon text={text} label={label} />
    </Group>
  )
}
