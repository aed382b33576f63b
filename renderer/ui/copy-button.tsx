import { ActionIcon, Button, type ButtonProps, Tooltip } from '@mantine/core'
import { IconCheck, IconCopy } from '@tabler/icons-react'
import { type Ref, useEffect, useState } from 'react'
import { copyText } from '../lib/clipboard.ts'

type Outcome = 'copied' | 'failed' | null

function useCopy(text: string, onCopied?: () => void) {
  const [outcome, setOutcome] = useState<Outcome>(null)
  useEffect(() => {
    if (!outcome) return
    const timer = setTimeout(() => setOutcome(null), 2000)
    return () => clearTimeout(timer)
  }, [outcome])
  const copy = async () => {
    const isCopied = await copyText(text)
    setOutcome(isCopied ? 'copied' : 'failed')
    if (isCopied) onCopied?.()
  }
  return { outcome, copy }
}

const wordFor = (outcome: Outcome, idle: string) =>
  outcome === 'copied' ? 'Copied' : outcome === 'failed' ? 'Select and copy manually' : idle

interface Props extends ButtonProps {
  text: string
  label?: string
  onCopied?: (() => void) | undefined
  ref?: Ref<HTMLButtonElement>
  'aria-describedby'?: string
  'data-autofocus'?: true
}

export function CopyButton({ text, label = 'Copy', onCopied, ...rest }: Props) {
  const { outcome, copy } = useCopy(text, onCopied)
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
