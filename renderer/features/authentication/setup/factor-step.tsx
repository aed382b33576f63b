import { Button, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { factorsChanged } from '../../../data/mfa.ts'
import { EnrollFactor } from '../../../domain/mfa/enroll-factor.tsx'
import { useMe } from '../../../lib/session.ts'

export function FactorStep({ onDone }: { onDone: () => void }) {
  const me = useMe()
  const [isEnrolling, setEnrolling] = useState(false)
  const done = async () => {
    await factorsChanged()
    onDone()
  }
  if (isEnrolling) return <EnrollFactor onDone={done} otherwise={<SkipButton onDone={onDone} />} />
  if (me.mfaEnabled) {
    return (
      <Stack>
        <Text size="sm">Your account requires a second factor.</Text>
        <Button onClick={onDone} autoFocus>
          Continue
        </Button>
      </Stack>
    )
  }
  return (
    <Stack>
      <Button fullWidth autoFocus onClick={() => setEnrolling(true)}>
        Set up two-factor authentication
      </Button>
      <SkipButton onDone={onDone} />
      <Text size="xs" c="dimmed">
        You’ll need it to run commands and scripts, to set up backups and restore files, to manage contacts, groups,
        integrations and single sign-on, and to close, archive or merge organizations. We’ll ask when you get there.
      </Text>
    </Stack>
  )
}

function SkipButton({ onDone }: { onDone: () => void }) {
  return (
    <Button variant="subtle" color="gray" onClick={onDone}>
      Skip for now
    </Button>
  )
}
