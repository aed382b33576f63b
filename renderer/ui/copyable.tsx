import { Group } from '@mantine/core'
import type { ReactNode } from 'react'
import { CopyIcon } from './copy-button.tsx'

/** Something long and exact, with a button that copies it; `children` when it is shown otherwise than copied. */
export function Copyable({ text, label, children = text }: { text: string; label: string; children?: ReactNode }) {
  return (
    <Group gap={4} wrap="nowrap" align="flex-start">
      <span className="mono">{children}</span>
      <CopyIcon text={text} label={label} />
    </Group>
  )
}
