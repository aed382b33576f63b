import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useEffect, useState } from 'react'
import { factorsChanged } from '../../data/mfa.ts'
import { onStepUpRequired } from '../../lib/api.ts'
import { queryClient } from '../../lib/query-client.ts'
import { meQuery } from '../../lib/session.ts'
import type { StepUpAnswer, StepUpPrompt } from '../../lib/step-up.ts'
import { useExclusiveEscape } from '../../lib/use-exclusive-escape.ts'
import { FormError } from '../../ui/form-error.tsx'
import { lazyPart } from '../../ui/lazy-part.tsx'
import { PasswordField } from '../../ui/password-field.tsx'
import { SkeletonLines } from '../../ui/states.tsx'
import { SignInAgain } from './sign-in-again.tsx'

const StepUp = lazyPart(
  'step-up',
  async () => (await import('./factor-step-up.tsx')).FactorStepUp,
  <SkeletonLines count={3} />,
)
const EnrollFactor = lazyPart(
  'enroll-factor',
  async () => (await import('../mfa/enroll-factor.tsx')).EnrollFactor,
  <SkeletonLines count={3} />,
)

interface OpenPrompt {
  question: StepUpPrompt
  /** A second factor is asked of a user who has none yet. */
  isEnrollment: boolean
  answer: (proof: StepUpAnswer | null) => void
}

/**
 * The dialog in which users step up. A call that needs it waits here. Prompts are stacked, because one can raise
 * another: enrolling a factor may need the password.
 */
export function StepUpDialog() {
  const [prompts, setPrompts] = useState<OpenPrompt[]>([])
  /** The prompt that is about to show recovery codes: closing it would lose them. */
  const [lockedPrompt, setLockedPrompt] = useState<OpenPrompt | null>(null)
  const settle = (prompt: OpenPrompt, proof: StepUpAnswer | null) => {
    setLockedPrompt((locked) => (locked === prompt ? null : locked))
    setPrompts((all) => all.filter((other) => other !== prompt))
    prompt.answer(proof)
  }
  const top = prompts.at(-1)
  const isHeld = top !== undefined && top === lockedPrompt
  const cancel = () => top && !isHeld && settle(top, null)
  useEffect(
    () =>
      onStepUpRequired((question) => {
        const isEnrollment =
          question.kind === 'factor' && queryClient.getQueryData(meQuery.queryKey)?.mfaEnabled === false
        return new Promise((answer) => setPrompts((all) => [...all, { question, isEnrollment, answer }]))
      }),
    [],
  )
  useExclusiveEscape(Boolean(top), cancel)
  return (
    <Modal
      opened={Boolean(top)}
      onClose={cancel}
      title={top?.isEnrollment ? 'Set up two-factor authentication' : 'Confirm it’s you'}
      zIndex={300}
      withCloseButton={!isHeld}
      closeOnEscape={false}
      closeOnClickOutside={false}
    >
      {prompts.map((prompt) => (
        <div key={prompt.question.kind} hidden={prompt !== top}>
          <Question
            prompt={prompt}
            onHold={(isHeld) => setLockedPrompt(isHeld ? prompt : null)}
            onAnswer={(proof) => settle(prompt, proof)}
          />
        </div>
      ))}
    </Modal>
  )
}

interface QuestionProps {
  prompt: OpenPrompt
  onHold: (isHeld: boolean) => void
  onAnswer: (proof: StepUpAnswer | null) => void
}

function Question({ prompt: { question, isEnrollment }, onHold, onAnswer }: QuestionProps) {
  const { data: me } = useQuery(meQuery)
  if (question.kind === 'password') {
    return <Password refusal={question.refusal} onDone={(currentPassword) => onAnswer({ currentPassword })} />
  }
  if (!me) return <SkeletonLines count={3} />
  if (question.kind === 'sign-in') return <SignInAgain loginUrl={question.refusal?.body.loginUrl} email={me.email} />
  return isEnrollment ? (
    <Enrollment onHold={onHold} onDone={() => onAnswer({})} />
  ) : (
    <StepUp onDone={() => onAnswer({})} />
  )
}

interface EnrollmentProps {
  onHold: (isHeld: boolean) => void
  onDone: () => void
}

function Enrollment({ onHold, onDone }: EnrollmentProps) {
  const [isHeld, setHeld] = useState(false)
  const hold = (next: boolean) => {
    setHeld(next)
    onHold(next)
  }
  const finish = async () => {
    await factorsChanged()
    onDone()
  }
  return (
    <Stack>
      {!isHeld && (
        <Text size="sm">This action needs a second factor, and your account has none yet. Set one up to continue.</Text>
      )}
      <EnrollFactor onHold={hold} onDone={finish} />
    </Stack>
  )
}

function Password({ refusal, onDone }: { refusal: unknown; onDone: (password: string) => void }) {
  const [password, setPassword] = useState('')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (password) onDone(password)
  }
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <Text size="sm">Enter your password to continue.</Text>
        <FormError error={refusal} />
        <PasswordField
          label="Password"
          name="password"
          autoComplete="current-password"
          autoFocus
          data-autofocus
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
        />
        <Group>
          <Button type="submit" disabled={!password}>
            Continue
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
