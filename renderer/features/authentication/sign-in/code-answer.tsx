import { Text } from '@mantine/core'
import { CodeForm } from './code-form.tsx'
import type { AnswerProps } from './use-answer.ts'

export function CodeAnswer(props: AnswerProps) {
  return (
    <CodeForm method="totp" {...props}>
      <Text size="sm" c="dimmed">
        Enter the six-digit code from your authenticator app.
      </Text>
    </CodeForm>
  )
}
