import { Stack, Text, Title } from '@mantine/core'
import { useDocumentTitle } from '@mantine/hooks'
import type { ReactNode } from 'react'
import { useFocusOnAppear } from '../../lib/use-focus-on-appear.ts'
import { StandaloneFrame } from './standalone-frame.tsx'

interface Props {
  title: string
  about?: ReactNode
  width?: number
  children: ReactNode
}

/** A page outside the layout of the console, such as the sign-in. */
export function StandalonePage({ title, about, width, children }: Props) {
  useDocumentTitle(`${title} · Homeport`)
  // If no field takes the focus, the heading does, so that screen readers announce the new page.
  const heading = useFocusOnAppear<HTMLHeadingElement>(title)
  return (
    <StandaloneFrame {...(width && { width })}>
      <Stack gap="lg">
        <Stack gap={4}>
          <Title order={1} size="h3" ref={heading} tabIndex={-1}>
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
    </StandaloneFrame>
  )
}
