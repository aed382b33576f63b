import { Stack } from '@mantine/core'
import classes from './command-line.module.css'
import { CopyButton } from './copy-button.tsx'

interface Props {
  text: string
  label: string
  copyLabel?: string
}

/** A command to run elsewhere, selectable, with a copy button. */
export function CommandLine({ text, label, copyLabel = 'Copy command' }: Props) {
  return (
    <Stack gap="xs">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard */}
      <section className={classes.line} tabIndex={0} aria-label={label}>
        <code>{text}</code>
      </section>
      <div>
        <CopyButton text={text} label={copyLabel} />
      </div>
    </Stack>
  )
}
