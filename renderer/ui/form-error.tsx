import { Alert, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { ApiError } from '../lib/api-error.ts'
import { messageFor } from '../lib/error-messages.ts'

/** The pressed button may be far below. */
const show = (alert: HTMLElement | null) => alert?.scrollIntoView({ block: 'nearest' })

interface Props {
  error: unknown
  title?: string | undefined
  children?: ReactNode
}

/**
 * Why a form was refused, with `children` for what to do next; absent without an error. Fields show their own errors.
 */
export function FormError({ error, title, children }: Props) {
  if (!error) return null
  const requestId = error instanceof ApiError && error.status >= 500 ? error.requestId : undefined
  return (
    <Alert
      ref={show}
      title={title}
      color="red"
      variant="light"
      role="alert"
      p="sm"
      style={{ scrollMarginBlock: '5rem' }}
    >
      <Text size="sm">{messageFor(error)}</Text>
      {children}
      {requestId && (
        <Text size="xs" c="dimmed" mt={4}>
          Request <span className="mono">{requestId}</span>
        </Text>
      )}
    </Alert>
  )
}
