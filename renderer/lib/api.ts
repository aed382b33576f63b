import { createApiClient } from './api-client.ts'

let evicted = () => {}

/** Told once by the app, which knows the router: what to do when the session ends by itself. */
export const onSessionEnd = (handler: () => void) => {
  evicted = handler
}

export const api = createApiClient({
  origin: location.origin,
  readCsrfToken: () => /(?:^|;\s*)svc_csrf_token=([^;]+)/.exec(document.cookie)?.[1],
  onEvicted: () => evicted(),
})
