# A server for one world, or a node of a cluster. docs/guides/containers.md says how to run it.
ARG NODE_VERSION=24

FROM node:${NODE_VERSION}-slim AS build
WORKDIR /source
COPY . .
RUN npm ci --no-audit --no-fund && npm run build
RUN mkdir /packed \
  && npm pack --workspaces --pack-destination /packed \
  && rm /packed/orthant-testkit-*.tgz /packed/create-orthant-*.tgz
WORKDIR /opt/orthant
RUN npm install --omit=dev --no-audit --no-fund /packed/*.tgz

FROM node:${NODE_VERSION}-slim
COPY --from=build /opt/orthant/node_modules /opt/orthant/node_modules
RUN ln -s /opt/orthant/node_modules/.bin/orthant /usr/local/bin/orthant && install -d -o node -g node /worlds
ENV NODE_ENV=production
USER node
WORKDIR /worlds
VOLUME /worlds
EXPOSE 7440
# Ready, and not only alive: a world that no longer saves is unhealthy.
HEALTHCHECK --start-period=30s --interval=10s --timeout=5s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:7440/readyz').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["orthant"]
CMD ["--help"]
