import { Stack, Text } from '@mantine/core'
import { useDeferredValue, useEffect, useMemo, useState } from 'react'
import type { assessPassword } from '../../shared/assess-password.ts'
import { PasswordRules } from './password-rules.tsx'
import classes from './password-strength.module.css'

const grades = ['Very weak', 'Weak', 'Fair', 'Good', 'Strong'] as const

interface Props {
  password: string
  /** What others know about the user, such as name and address, which makes a password weak. */
  about: readonly string[]
  /** The field above shows the error already. */
  isExplained: boolean
}

/** The rules of a password and its strength, in words and as a bar. */
export function PasswordStrength({ password, about, isExplained }: Props) {
  const verdict = useVerdict(password, about)
  return (
    <Stack gap={6}>
      <div className={classes.bar} data-score={verdict?.score} aria-hidden>
        <span style={{ width: `${verdict ? (verdict.score + 1) * 20 : 0}%` }} />
      </div>
      <Text size="xs" component="div" role="status" c="dimmed">
        {!verdict && 'Tip: use several unrelated words.'}
        {verdict && (
          <>
            <Text span inherit fw={600} c="var(--mantine-color-text)">
              {grades[verdict.score]}.
            </Text>{' '}
            {verdict.score < 3 && !isExplained && verdict.hint}
          </>
        )}
      </Text>
      <PasswordRules password={password} />
    </Stack>
  )
}

/** Null without a password, or until the estimator is loaded. */
function useVerdict(password: string, about: readonly string[]) {
  const [judge, setJudge] = useState<typeof assessPassword | null>(null)
  useEffect(() => {
    import('../../shared/assess-password.ts').then(
      (judging) => setJudge(() => judging.assessPassword),
      // Without the estimator the rules still work, and the server decides.
      () => {},
    )
  }, [])
  const settled = useDeferredValue(password)
  const known = about.join('\n')
  return useMemo(() => (judge && settled ? judge(settled, known.split('\n')) : null), [judge, settled, known])
}
