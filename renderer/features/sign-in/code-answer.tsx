import { Text } from '@mantine/core'
import type { AnswerProps } from './challenge-form.tsx'
import { CodeForm } from './code-form.tsx'

export function CodeAnswer(props: AnswerProps) {
  return (
    <CodeForm method="totp" {...props}>
      <Text size="sm" c="dimmed">
        Enter the six digits that your authenticator app shows.
      </Text>
    </CodeForm>
  )
}
