import { Anchor, Divider, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { canUsePasskeys } from '../../../lib/passkeys.ts'
import { type ChallengeMethod, challengeMethods, hostsReachableFrom, loginUrlAt } from './challenge-methods.ts'
import { CodeAnswer } from './code-answer.tsx'
import { PasskeyAnswer } from './passkey-answer.tsx'
import { RecoveryAnswer } from './recovery-answer.tsx'
import { SmsAnswer } from './sms-answer.tsx'
import type { AnswerProps } from './use-answer.ts'

const answers = { totp: CodeAnswer, sms: SmsAnswer, passkey: PasskeyAnswer, recovery: RecoveryAnswer }
const names: Record<ChallengeMethod, string> = {
  totp: 'Use the authenticator app',
  sms: 'Get a text message',
  passkey: 'Use a passkey',
  recovery: 'Use a recovery code',
}

/** Second step of the sign-in, with the preferred factor or another one. */
export function ChallengeForm({ onBack, ...props }: AnswerProps & { onBack: () => void }) {
  const ways = challengeMethods(props.challenge, canUsePasskeys())
  const [chosen, choose] = useState<ChallengeMethod>()
  const way = chosen ?? ways[0] ?? 'recovery'
  const Answer = answers[way]
  const others = ways.filter((other) => other !== way)
  return (
    <Stack>
      {props.challenge.smsUnavailable && (
        <Text size="sm">
          Text messages can’t be sent at the moment. {way === 'recovery' ? 'Use a recovery code' : 'Use another way'},
          or ask your administrator.
        </Text>
      )}
      <Answer key={way} {...props} />
      <Divider />
      <Stack gap={6} align="flex-start">
        {others.map((other) => (
          <Switch key={other} onClick={() => choose(other)}>
            {names[other]}
          </Switch>
        ))}
        <PasskeyElsewhere hosts={props.challenge.passkeyHosts} />
        <Switch onClick={onBack}>Back to password</Switch>
      </Stack>
    </Stack>
  )
}

function Switch({ onClick, children }: { onClick: () => void; children: string }) {
  return (
    <Anchor component="button" type="button" size="sm" c="var(--accent-text)" onClick={onClick}>
      {children}
    </Anchor>
  )
}

/** A passkey only works at the host name that it was created at. */
function PasskeyElsewhere({ hosts }: { hosts: string[] }) {
  if (hosts.length === 0) return null
  const reachable = hostsReachableFrom(location.hostname, hosts)
  if (reachable.length === 0)
    return (
      <Text size="sm" c="dimmed">
        Your passkey works only in a browser on the appliance itself.
      </Text>
    )
  return (
    <Text size="sm" c="dimmed">
      Your passkey works at{' '}
      {reachable.map((host, index) => (
        <span key={host}>
          {index > 0 && ', '}
          <Anchor inherit underline="always" c="var(--accent-text)" href={loginUrlAt(host, new URL(location.href))}>
            {host}
          </Anchor>
        </span>
      ))}
      .
    </Text>
  )
}
