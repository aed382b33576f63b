export { Commands } from './commands.ts'
export { commandRoutes } from './routes.ts'
