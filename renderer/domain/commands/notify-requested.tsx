import { type RegisteredRouter, RouterContextProvider } from '@tanstack/react-router'
import type { DeviceCommand } from '../../../shared/api/commands.ts'
import { notifyDone } from '../../lib/notify.ts'
import { TextLink } from '../../ui/links.tsx'

/** Notices lie outside the router, which their links need. */
export function notifyRequested(router: RegisteredRouter, command: DeviceCommand, text: string): void {
  notifyDone(
    <RouterContextProvider router={router}>
      {text}
      {' · '}
      <TextLink
        to="/devices/$deviceId"
        params={{ deviceId: command.deviceId }}
        search={{ tab: 'commands', command: command.id }}
        inherit
        underline="always"
      >
        Show command
      </TextLink>
    </RouterContextProvider>,
  )
}
