import { Button, Checkbox, Group, Portal, Stack, Text } from '@mantine/core'
import { useId, useWindowEvent } from '@mantine/hooks'
import { IconDownload, IconPrinter } from '@tabler/icons-react'
import { useRouter } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { saveFile } from '../../lib/clipboard.ts'
import { exactTime } from '../../lib/format.ts'
import { useMe } from '../../lib/session.ts'
import { useFocusOnAppear } from '../../lib/use-focus-on-appear.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import classes from './enroll-factor.module.css'

interface Props {
  codes: string[]
  /** Otherwise the codes replace earlier ones. */
  isFirst?: boolean
  onDone: () => void
}

/** Shown only once: the server cannot show them again. */
export function RecoveryCodes({ codes, isFirst = false, onDone }: Props) {
  const me = useMe()
  const copy = useFocusOnAppear<HTMLButtonElement>()
  const textId = useId()
  const [isKept, setKept] = useState(false)
  const [madeAt] = useState(() => new Date().toISOString())
  const text = fileContent(codes, me.email, madeAt)
  useBlockLeaving(!isKept)
  return (
    <Stack>
      <Text size="sm" id={textId}>
        <b>
          {isFirst
            ? 'Two-factor authentication is on.'
            : 'These are your new recovery codes. The old ones no longer work.'}
        </b>{' '}
        Keep {isFirst ? 'these recovery codes' : 'them'} somewhere safe: use one to sign in if you lose your second
        factor. Each works once. They won’t be shown again.
      </Text>
      <ul className={classes.codes} aria-label="Recovery codes">
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <Group gap="xs">
        <CopyButton size="xs" text={text} label="Copy" ref={copy} data-autofocus aria-describedby={textId} />
        <Button
          size="xs"
          variant="default"
          leftSection={<IconDownload size={16} />}
          onClick={() => saveFile('homeport-recovery-codes.txt', text)}
        >
          Download
        </Button>
        <Button size="xs" variant="default" leftSection={<IconPrinter size={16} />} onClick={() => window.print()}>
          Print
        </Button>
      </Group>
      <Checkbox
        label="I’ve saved these codes"
        checked={isKept}
        onChange={(event) => setKept(event.currentTarget.checked)}
      />
      <Group>
        <Button disabled={!isKept} onClick={onDone}>
          Continue
        </Button>
      </Group>
      <Portal reuseTargetNode={false}>
        <pre className={classes.sheet}>{text}</pre>
      </Portal>
    </Stack>
  )
}

/** Content of the downloaded file, complete enough to be understood years later. */
const fileContent = (codes: string[], email: string, madeAt: string) => `Homeport recovery codes

Account:   ${email}
Appliance: ${location.origin}
Made:      ${exactTime(madeAt)}

Each code lets you in once when your second factor is out of reach.
Codes made later make these worthless.

${codes.join('\n')}
`

/** A reload would lose the codes, so the browser asks first; the back button is blocked too. */
function useBlockLeaving(isHeld: boolean) {
  // Null in the step-up dialog, which lies outside the router and stays open over every page.
  const router: ReturnType<typeof useRouter> | null = useRouter({ warn: false })
  useWindowEvent('beforeunload', (event) => {
    if (isHeld) event.preventDefault()
  })
  useEffect(() => {
    if (!isHeld) return
    const blockerFn = ({ action }: { action: string }) => action !== 'PUSH' && action !== 'REPLACE'
    return router?.history.block({ blockerFn, enableBeforeUnload: false })
  }, [isHeld, router])
}
