import { Button, Checkbox, Group, Stack, Text } from '@mantine/core'
import { useWindowEvent } from '@mantine/hooks'
import { IconDownload, IconPrinter } from '@tabler/icons-react'
import { useState } from 'react'
import { saveFile } from '../../lib/clipboard.ts'
import { useArrival } from '../../lib/use-arrival.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import classes from './enroll-factor.module.css'

interface Props {
  codes: string[]
  title?: string
  onDone: () => void
}

/** Shown this once: the server keeps only what it needs to recognise them. */
export function RecoveryCodes({ codes, title = 'The second factor is on', onDone }: Props) {
  const heading = useArrival<HTMLParagraphElement>()
  const [isKept, setKept] = useState(false)
  const text = `Homeport recovery codes for ${location.host}\nEach works once.\n\n${codes.join('\n')}\n`
  // A reload would lose them; the browser asks before it does.
  useWindowEvent('beforeunload', (event) => {
    if (!isKept) event.preventDefault()
  })
  return (
    <Stack>
      <div>
        <Text fw={600} ref={heading} tabIndex={-1} data-autofocus>
          {title}
        </Text>
        <Text size="sm" c="dimmed">
          Keep these recovery codes somewhere safe. Each lets you in once when your factor is out of reach. They are not
          shown again.
        </Text>
      </div>
      <ul className={classes.codes} aria-label="Recovery codes">
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <Group gap="xs" className="no-print">
        <CopyButton text={text} label="Copy" />
        <Button
          variant="default"
          leftSection={<IconDownload size={16} />}
          onClick={() => saveFile('homeport-recovery-codes.txt', text)}
        >
          Download
        </Button>
        <Button variant="default" leftSection={<IconPrinter size={16} />} onClick={() => window.print()}>
          Print
        </Button>
      </Group>
      <Checkbox
        className="no-print"
        label="I have kept the codes"
        checked={isKept}
        onChange={(event) => setKept(event.currentTarget.checked)}
      />
      <Group className="no-print">
        <Button disabled={!isKept} onClick={onDone}>
          Continue
        </Button>
      </Group>
    </Stack>
  )
}
