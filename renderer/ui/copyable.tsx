import { Group } from '@mantine/core'
import type { ReactNode } from 'react'
import { CopyIcon } from './copy-button.tsx'

/** Exact text with a copy button; `children` if it is displayed differently. */
export function Copyable({ text, label, children = text }: { text: string; label: string; children?: ReactNode }) {
  return (
    <Group gap={4} wrap="nowrap" align="flex-start">
      {/* As high as the button, so that the text stands on the line of its label. */}
      <span className="mono" style={{ lineHeight: '1.375rem' }}>
        {children}
      </span>
      <CopyIcon text={text} label={label} />
    </Group>
  )
}
