import { Stack, Text, Title } from '@mantine/core'
import { useDocumentTitle } from '@mantine/hooks'
import { type ReactNode, useEffect, useRef } from 'react'
import { EntryFrame } from './entry-frame.tsx'

interface Props {
  title: string
  about?: ReactNode
  /** Where no field takes the focus, the heading does: a new face of the page is read out. */
  startsAtTitle?: boolean
  width?: number
  children: ReactNode
}

/** A page before or around the sign-in. */
export function EntryPage({ title, about, startsAtTitle = false, width, children }: Props) {
  useDocumentTitle(`${title} · Homeport`)
  const heading = useRef<HTMLHeadingElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another title is another face
  useEffect(() => {
    if (startsAtTitle) heading.current?.focus()
  }, [startsAtTitle, title])
  return (
    <EntryFrame {...(width && { width })}>
      <Stack gap="lg">
        <Stack gap={4}>
          <Title order={1} size="h3" ref={heading} tabIndex={-1} style={{ outline: 'none' }}>
            {title}
          </Title>
          {about && (
            <Text size="sm" c="dimmed" component="div">
              {about}
            </Text>
          )}
        </Stack>
        {children}
      </Stack>
    </EntryFrame>
  )
}
