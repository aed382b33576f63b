import { ActionIcon, Button, Tooltip } from '@mantine/core'
import { IconCheck, IconCopy } from '@tabler/icons-react'
import { useEffect, useState } from 'react'
import { copyText } from '../lib/clipboard.ts'

type Outcome = 'copied' | 'failed' | null

function useCopy(text: string) {
  const [outcome, setOutcome] = useState<Outcome>(null)
  useEffect(() => {
    if (!outcome) return
    const timer = setTimeout(() => setOutcome(null), 2000)
    return () => clearTimeout(timer)
  }, [outcome])
  return { outcome, copy: async () => setOutcome((await copyText(text)) ? 'copied' : 'failed') }
}

const wordFor = (outcome: Outcome, idle: string) =>
  outcome === 'copied' ? 'Copied' : outcome === 'failed' ? 'Select and copy manually' : idle

export function CopyButton({ text, label = 'Copy', ...rest }: { text: string; label?: string; size?: string }) {
  const { outcome, copy } = useCopy(text)
  return (
    <Button
      variant="default"
      onClick={copy}
      leftSection={outcome === 'copied' ? <IconCheck size={16} /> : <IconCopy size={16} />}
      {...rest}
    >
      <span aria-live="polite">{wordFor(outcome, label)}</span>
    </Button>
  )
}

export function CopyIcon({ text, label }: { text: string; label: string }) {
  const { outcome, copy } = useCopy(text)
  return (
    <Tooltip label={wordFor(outcome, label)}>
      <ActionIcon size="sm" onClick={copy} aria-label={wordFor(outcome, label)}>
        {outcome === 'copied' ? <IconCheck size={14} /> : <IconCopy size={14} />}
      </ActionIcon>
    </Tooltip>
  )
}
