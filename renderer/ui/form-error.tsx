import { Alert, Text } from '@mantine/core'
import { ApiError } from '../lib/api-error.ts'
import { wordsFor } from '../lib/error-words.ts'

/** Why a form was refused; absent when nothing is wrong. Fields say their own share beside it. */
export function FormError({ error }: { error: unknown }) {
  if (!error) return null
  const requestId = error instanceof ApiError && error.status >= 500 ? error.requestId : undefined
  return (
    <Alert color="red" variant="light" role="alert" p="sm">
      <Text size="sm">{wordsFor(error)}</Text>
      {requestId && (
        <Text size="xs" c="dimmed" mt={4}>
          Request <span className="mono">{requestId}</span>
        </Text>
      )}
    </Alert>
  )
}
