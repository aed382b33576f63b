import { Stack } from '@mantine/core'
import classes from './command-line.module.css'
import { CopyButton } from './copy-button.tsx'
import { focusIfScrollable } from './scroll-focus.ts'

interface Props {
  text: string
  label: string
  copyLabel?: string
  onCopied?: () => void
  /** In a dialog: the focus begins on the button. */
  isFirst?: boolean
}

/** A command to run elsewhere, selectable, with a copy button. */
export function CommandLine({ text, label, copyLabel = 'Copy command', onCopied, isFirst }: Props) {
  return (
    <Stack gap="xs">
      <section className={classes.line} ref={focusIfScrollable} aria-label={label}>
        <code>{text}</code>
      </section>
      <div>
        <CopyButton text={text} label={copyLabel} onCopied={onCopied} {...(isFirst && { 'data-autofocus': true })} />
      </div>
    </Stack>
  )
}
